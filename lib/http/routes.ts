// Every route. Infra reads methods, paths and functions from here, OpenAPI the rest.
import { lateRoutes } from './late-routes.ts';
import { promptRoutes } from './prompt-routes.ts';
import type { Route } from './route.ts';

export const routes: readonly Route[] = [...lateRoutes, ...promptRoutes];
