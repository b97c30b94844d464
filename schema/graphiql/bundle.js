// The entry of the bundle: styles, and Monaco's workers from files beside it instead of a CDN.
import 'graphiql/style.css';
import '@graphiql/plugin-explorer/style.css';

globalThis.MonacoEnvironment = {
  getWorker(_id, label) {
    const name = label === 'json' || label === 'graphql' ? label : 'editor';
    return new Worker(new URL(`${name}.worker.js`, import.meta.url), { type: 'module' });
  },
};

await import('./page.js');
