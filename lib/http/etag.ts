// Conditions on the version of a document: If-Match and If-None-Match, as RFC 9110 has them for one representation.
import { Fault } from '../core/fault.ts';

/** The version that an ETag names; undefined where it is none of ours. */
export function versionIn(etag: string): number | undefined {
  const digits = /^\s*(?:W\/)?"(0|[1-9]\d{0,14})"\s*$/.exec(etag)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The version that the request wants to have read: 0 for `If-None-Match: *`, undefined where it does not say. */
export function versionAsked({ headers }: Request): number | undefined {
  const match = headers.get('if-match');
  if (match === null || match.trim() === '*') return headers.get('if-none-match')?.trim() === '*' ? 0 : undefined;
  const version = versionIn(match);
  if (version === undefined) throw new Fault('PRECONDITION_FAILED', 'If-Match is no ETag of this.');
  return version;
}

/** The version to write after. Throws PRECONDITION_FAILED where it is not the one that was asked for. */
export function versionToReplace(request: Request, found: number): number {
  const asked = versionAsked(request);
  if (asked !== undefined && asked !== found)
    throw new Fault('PRECONDITION_FAILED', found === 0 ? 'There is none yet.' : `Its version is ${found}.`);
  if (request.headers.get('if-match')?.trim() === '*' && found === 0)
    throw new Fault('PRECONDITION_FAILED', 'There is none yet.');
  return found;
}

/** The ETag of a version. */
export const etagOf = (version: number) => ({ etag: `"${version}"` });

export const etagAnswer = { ETag: 'Its version, for If-Match.' };
export const conditionHeaders = {
  'If-Match': 'The ETag that was read: refused where somebody has changed it since.',
  'If-None-Match': '`*`: refused where there is one already.',
};
