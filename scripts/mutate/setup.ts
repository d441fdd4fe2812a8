import { useMutant } from './mutant.ts';

const name = process.env['MILLRACE_MUTANT'];
if (name !== undefined) useMutant(name);
