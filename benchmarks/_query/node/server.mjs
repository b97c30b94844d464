// PostGraphile over the tables of the database that DATABASE_URL names, on any free port, which it prints.
import { createServer } from "node:http";
import { postgraphile } from "postgraphile";
import { makePgService } from "postgraphile/adaptors/pg";
import { grafserv } from "postgraphile/grafserv/node";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";

const pgService = makePgService({
  connectionString: process.env.DATABASE_URL,
  schemas: ["public"],
  // Without the time-out connections are kept, as the other sides keep theirs, and with them what they have prepared.
  poolConfig: { max: Number(process.env.POOL), idleTimeoutMillis: 0 },
});
const served = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [pgService],
  grafserv: { graphiql: false, watch: false, websockets: false },
  grafast: { explain: false },
  schema: { defaultBehavior: "connection" },
}).createServ(grafserv);
const server = createServer();
await served.addTo(server);
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/graphql`));
