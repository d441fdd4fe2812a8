import { type DatasetId, derivedId, type Scope } from '../core/ids.ts';

/** The id of the dataset that has this name in the workspace, if there is one. Names that Unicode holds for the same are the same. */
export const datasetIdOf = ({ tenant, workspace }: Scope, name: string): DatasetId =>
  derivedId('ds', tenant, workspace, name.normalize('NFC'));
