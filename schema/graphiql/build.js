// Bundles GraphiQL and Monaco's three workers into dist/, which git ignores.
import { rm } from 'node:fs/promises';
import { build } from 'esbuild';

const shared = {
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  outdir: 'dist',
  logLevel: 'warning',
  legalComments: 'linked',
  define: { 'process.env.NODE_ENV': '"production"' },
};

await rm('dist', { recursive: true, force: true });
await build({
  ...shared,
  entryPoints: {
    'json.worker': 'monaco-editor/esm/vs/language/json/json.worker.js',
    'graphql.worker': 'monaco-graphql/esm/graphql.worker.js',
    'editor.worker': 'monaco-editor/esm/vs/editor/editor.worker.js',
  },
});
// The entry is written last: the server takes its presence for a whole build.
await build({
  ...shared,
  entryPoints: ['bundle.js'],
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  assetNames: 'assets/[name]-[hash]',
  loader: { '.ttf': 'file', '.woff': 'file', '.woff2': 'file', '.svg': 'dataurl' },
});
