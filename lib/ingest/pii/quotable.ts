// Whether a value of a file may be quoted where the file is refused for it: errors of jobs are read by more people than tables are.
import { isPersonal } from './decide.ts';
import { builtInDetectors } from './detectors.ts';

const LOOKED_AT = 1000;

/** No detector of the service knows it, whatever its column is called. */
export const isQuotable = (value: string): boolean =>
  !isPersonal(value.slice(0, LOOKED_AT), 'VARCHAR', builtInDetectors({ today: '9999-12-31' }));
