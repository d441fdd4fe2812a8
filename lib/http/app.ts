// The HTTP app of all routes, the same in the function and in the embedded process. Those of jobs are there at once; the others are loaded
// with the first request for one of them, so that a start pays for what most requests ask (docs/adr/0014-what-a-start-loads.md).
import { Hono } from 'hono';
import { createAuthenticator } from './auth.ts';
import { buildApp } from './build-app.ts';
import type { HttpDeps } from './deps.ts';
import { promptRoutes } from './prompt-routes.ts';
import type { Route } from './route.ts';

/** The first parts of the paths, e.g. `/v1/jobs`. */
const stems = (served: readonly Route[]) => new Set(served.map(({ path }) => path.split('/', 3).join('/')));

/** Every route; what `query` serves only where `deps.query` is given (its path still knows its methods). */
export function createApp(deps: HttpDeps): Hono {
  const authenticator = createAuthenticator(deps);
  const prompt = buildApp(deps, promptRoutes, authenticator);
  let late: Promise<Pick<Hono, 'fetch'>> | undefined;
  const loaded = () =>
    (late ??= import('./late-routes.ts').then(({ lateRoutes }) => buildApp(deps, lateRoutes, authenticator)));
  const app = new Hono();
  for (const stem of stems(promptRoutes)) app.all(`${stem}/*`, ({ req }) => prompt.fetch(req.raw));
  app.all('*', async ({ req }) => (await loaded()).fetch(req.raw));
  return app;
}
