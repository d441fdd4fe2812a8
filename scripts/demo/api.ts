// The demo's HTTP client: nothing but fetch, so that what it does anybody can do.

export interface Api {
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<T>;
}

/** What a problem+json body says, as an Error. */
export class Problem extends Error {
  override readonly name = 'Problem';
}

/** `body` goes as JSON, or as it is when it is bytes. Answers of 400 and above become a Problem. */
export function createApi(url: string, apiKey: string): Api {
  const call = async <T>(method: string, path: string, body?: unknown, headers = {}): Promise<T> => {
    const bytes = body instanceof Uint8Array ? new Uint8Array(body) : undefined;
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': bytes ? 'application/octet-stream' : 'application/json',
        ...headers,
      },
      ...(body === undefined ? {} : { body: bytes ?? JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Problem(`${method} ${path}: ${response.status} ${sentence(text)}`);
    return JSON.parse(text) as T;
  };
  return {
    get: (path) => call('GET', path),
    post: (path, body, headers) => call('POST', path, body, headers),
  };
}

function sentence(text: string): string {
  try {
    const { code, detail, next } = JSON.parse(text) as Record<string, string>;
    return `${code}: ${detail} ${next}`;
  } catch {
    return text.slice(0, 300);
  }
}
