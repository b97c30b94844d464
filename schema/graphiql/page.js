// The GraphiQL page itself. The bundle and the page from the CDN both run this file; they differ in where imports lead.
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { GraphiQL, HISTORY_PLUGIN } from 'graphiql';
import { explorerPlugin } from '@graphiql/plugin-explorer';
import { createGraphiQLFetcher } from '@graphiql/toolkit';

const DEFAULT_QUERY = `# What this server knows, volume by volume.
# Ctrl-Enter runs it, Ctrl-Space completes names.
{
  volumes {
    nodes {
      name
      statistics {
        entities
        facts
        relationships
      }
    }
  }
}
`;

// The page stands at the endpoint's own address, wherever the server is mounted.
const endpoint = new URL(location.pathname, location.href).href;
const shared = new URLSearchParams(location.search).get('query');

createRoot(document.getElementById('graphiql')).render(
  createElement(GraphiQL, {
    fetcher: createGraphiQLFetcher({ url: endpoint }),
    defaultQuery: DEFAULT_QUERY,
    ...(shared && { initialQuery: shared }),
    plugins: [HISTORY_PLUGIN, explorerPlugin()],
    defaultEditorToolsVisibility: 'variables',
  }),
);
