/** Raw calls of the control surface, for tests that look at statuses and bodies. */
import type { TestVenue } from '../../src/index.ts';
import { assertControlDocumented } from '../support/documented.ts';

export interface ControlReply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: replies are what the tests judge
  readonly body: any;
  readonly text: string;
}

export async function control(
  { control: url, controlToken }: TestVenue,
  method: string,
  path: string,
  body?: unknown,
  token: string | null = controlToken,
): Promise<ControlReply> {
  const response = await fetch(`${url}/control/v1${path}`, {
    method,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  const reply = { status: response.status, body: isJson ? JSON.parse(text) : undefined, text };
  assertControlDocumented(method, `/control/v1${path}`, reply.status, reply.body);
  return reply;
}
