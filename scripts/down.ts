// `npm run down`: stops what `npm run cloud` and `npm run dev` of this checkout left running.
import { stopInstance } from './cloud/instance.ts';

const lines = [...(await stopInstance('cloud')), ...(await stopInstance('dev'))];
console.log(lines.length === 0 ? 'Nothing of this checkout runs.' : lines.join('\n'));
process.exitCode = lines.some((line) => line.endsWith('does not stop.')) ? 1 : 0;
