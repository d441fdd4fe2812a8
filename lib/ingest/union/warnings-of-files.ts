// What is to be said of single files, where there may be hundreds of them: once a code and column, with the file that it is of.
import type { Warning } from '../../core/warning.ts';

export interface OfFile {
  readonly file: string;
  readonly warnings: readonly Warning[];
}

/** Rows are those of the file that is named. */
export function warningsOfFiles(files: readonly OfFile[]): Warning[] {
  const found = new Map<string, { readonly file: string; readonly warning: Warning; readonly others: Set<string> }>();
  const all = files.flatMap(({ file, warnings }) => warnings.map((warning) => ({ file, warning })));
  for (const { file, warning } of all) {
    const key = JSON.stringify([warning.code, warning.column]);
    const known = found.get(key);
    if (known === undefined) found.set(key, { file, warning, others: new Set() });
    else if (known.file !== file) known.others.add(file);
  }
  return [...found.values()].map(({ file, warning, others }) => {
    const more = others.size === 0 ? '' : ` So it is in ${others.size} more of the files.`;
    return { ...warning, message: `${warning.message} In ${JSON.stringify(file)}.${more}` };
  });
}
