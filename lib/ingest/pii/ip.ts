import { isIPv4, isIPv6 } from 'node:net';
import type { Detector } from './detector.ts';

/** Versions of software (`1.2.10.4`) have small parts; addresses seldom do, but for the private and some famous ones. */
const LARGEST_OF_VERSIONS = 31;

const v4 = /^(\d{1,3}(?:\.\d{1,3}){3})(?:\/\d{1,2}|:\d{1,5})?$/;
const v6 = /^\[?([0-9a-f:.]{2,45})(?:%\w+)?\]?(?:\/\d{1,3}|:\d{1,5})?$/i;
/** Eight bytes as hardware addresses have them. */
const hardware = /^(?:[0-9a-f]{2}:){7}[0-9a-f]{2}$/i;

function isV4(value: string, hinted: boolean): boolean {
  const address = v4.exec(value)?.[1];
  if (address === undefined || !isIPv4(address)) return false;
  const parts = address.split('.').map(Number);
  return hinted || parts[0] === 10 || parts.some((part) => part > LARGEST_OF_VERSIONS);
}

function isV6(value: string): boolean {
  const address = v6.exec(value)?.[1];
  return address !== undefined && isIPv6(address) && !hardware.test(address) && /[0-9a-f]/i.test(address);
}

/** IPv4 and IPv6, also with a port or the length of a net. */
export const ipAddress: Detector = {
  tag: 'IP_ADDRESS',
  evidence: 'checked',
  chance: 0.05,
  hints: ['ip', 'ips', 'ipaddress', 'ip address', 'ipv4', 'ipv6', 'ipaddr', 'remote addr', 'x forwarded for'],
  matches: (value, hinted) => (value.includes(':') && isV6(value)) || isV4(value, hinted),
};
