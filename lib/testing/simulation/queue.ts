// Doorbells that wait for a worker, and workers that wait for one. In no particular order.
import type { Doorbell } from '../../job/ports.ts';
import type { Actor } from './actor.ts';

export interface Message {
  readonly bell: Doorbell;
  readonly lane: string;
  /** What was odd about how it came. */
  readonly how?: Actor['heard'];
}

export interface Queue {
  deliver(message: Message): void;
  receive(): Promise<Message>;
  isEmpty(): boolean;
  /** Since when no message waits; Infinity while one does. */
  emptySince(): number;
}

/** `draw` says which of the waiting messages is received. */
export function createQueue(draw: () => number, now: () => number): Queue {
  let emptySince = 0;
  const messages: Message[] = [];
  const waiting: ((message: Message) => void)[] = [];
  return {
    isEmpty: () => messages.length === 0,
    emptySince: () => (messages.length === 0 ? emptySince : Infinity),
    deliver: (message) => {
      const receiver = waiting.shift();
      if (receiver === undefined) messages.push(message);
      else receiver(message);
    },
    receive: async () => {
      const message = messages.splice(Math.floor(draw() * messages.length), 1)[0];
      if (message !== undefined && messages.length === 0) emptySince = now();
      return message ?? new Promise((resolve) => waiting.push(resolve));
    },
  };
}
