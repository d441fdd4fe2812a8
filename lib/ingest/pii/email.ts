import type { Detector } from './detector.ts';

const LONGEST_LOCAL = 64;
const label = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?`;
const domain = new RegExp(String.raw`^(?:${label}\.)+\p{L}[\p{L}\p{N}-]{0,22}\p{L}(?![\p{L}\p{N}_-])`, 'u');
const local = /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}$/u;
/** Pictures for dense screens are named like mailboxes: `logo@2x.png`. */
const picture = /^\d+x\.(?:png|jpe?g|gif|webp|svg|avif)/i;

/** Each @ is looked at once, with a bounded text on either side. */
function holdsAddress(text: string): boolean {
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const after = text.slice(at + 1, at + 256);
    const named = local.exec(text.slice(Math.max(0, at - LONGEST_LOCAL), at))?.[0];
    if (named !== undefined && !named.startsWith('.') && domain.test(after) && !picture.test(after)) return true;
  }
  return false;
}

/** Mailboxes after RFC 5321, names in any script among them, also inside a text. */
export const email: Detector = {
  tag: 'EMAIL',
  evidence: 'form',
  chance: 0.001,
  hints: ['email', 'e mail', 'mail', 'emailaddress', 'mailaddress', 'correo', 'courriel', 'mailbox'],
  matches: holdsAddress,
  within: holdsAddress,
};
