// A process that is killed at one of its calls: before the call does its work, or after.

/** Wraps ports whose `at`th call, counted over all of them, throws `killed`: at even places before its work, at odd ones after it. */
export function dyingPorts(at: number): <T extends object>(port: T) => T {
  let calls = 0;
  return <T extends object>(port: T): T =>
    new Proxy(port, {
      get: (target, name) => {
        const own: unknown = Reflect.get(target, name);
        if (typeof own !== 'function') return own;
        return async (...given: unknown[]) => {
          calls += 1;
          const mine = calls;
          if (mine === at && mine % 2 === 0) throw new Error('killed');
          const answer: unknown = await Reflect.apply(own, target, given);
          if (mine === at) throw new Error('killed');
          return answer;
        };
      },
    });
}
