/** Creates docs/asyncapi.json, and the table of topics in docs/streams.md, from the table that serves (topics.ts). */
import type { TSchema } from 'typebox';
import * as schemas from './schemas.ts';
import { type DocumentedTopic, STREAM_PATHS, topicsOf } from './topics.ts';

type Json = Record<string, unknown>;

const DESCRIPTION = `The WebSocket streams of a venue behind the BTSE wire interface.

A client subscribes topics by name. Private topics need a login: the signature is the lower-case hex HMAC-SHA384 under
the secret over the path of the socket and the nonce, which is the time in milliseconds.

A topic with x-begins-after may be subscribed with @SEQ behind its name: the frames of everything that happened after that
command of the log come first, and each frame has seq, the last command that it includes.`;

/** What clients send, and what the venue answers, on every socket. */
const REQUESTS: readonly TSchema[] = [schemas.SUBSCRIBE, schemas.LOGIN, schemas.PING];
const ANSWERS: readonly TSchema[] = [schemas.ACKNOWLEDGED, schemas.LOGGED_IN, schemas.ERRORS, schemas.PONG];

export function asyncApiDocument(version: string): Json {
  const messages: Record<string, Json> = {};
  const payloads: Record<string, TSchema> = {};
  const channels: Record<string, Json> = {};
  const operations: Record<string, Json> = {};
  const message = (payload: TSchema, more: Json = {}) => {
    const { title } = payload as unknown as { title: string };
    const name = (more.name as string | undefined) ?? title;
    payloads[title] = payload;
    messages[name] = { name, title, payload: { $ref: `#/components/schemas/${title}` }, ...more };
    return [name, { $ref: `#/components/messages/${name}` }] as const;
  };
  const references = (channel: string, names: readonly string[]) =>
    names.map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` }));
  for (const path of STREAM_PATHS) {
    const channel = path.slice(1).replaceAll('/', '-');
    const requests = REQUESTS.map((schema) => message(schema));
    const answers = ANSWERS.map((schema) => message(schema));
    const frames = topicsOf(path).map((topic) => message(topic.frame, topicFields(path, topic)));
    channels[channel] = { address: path, messages: Object.fromEntries([...requests, ...answers, ...frames]) };
    const operation = (action: 'send' | 'receive', sent: readonly (readonly [string, unknown])[]) => {
      operations[`${channel}-${action}`] = {
        action,
        channel: { $ref: `#/channels/${channel}` },
        messages: references(
          channel,
          sent.map(([name]) => name),
        ),
      };
    };
    operation('receive', requests);
    operation('send', [...answers, ...frames]);
  }
  return {
    asyncapi: '3.0.0',
    info: { title: 'bourse', version, description: DESCRIPTION, license: { name: 'Apache-2.0' } },
    defaultContentType: 'application/json',
    servers: {
      venue: {
        host: '{host}:{port}',
        protocol: 'ws',
        description: 'As in the ready line of `bourse start`',
        variables: { host: { default: '127.0.0.1' }, port: { default: '8080' } },
      },
    },
    channels,
    operations,
    components: { messages, schemas: payloads },
  };
}

/** The message of a topic: its name is the socket's and the topic's. */
function topicFields(path: string, { name, subject, isPrivate, mayBeginAt, summary }: DocumentedTopic): Json {
  return {
    name: `${path.slice(1).replaceAll('/', '-')}.${name}`,
    summary,
    'x-topic': subject === '' ? name : `${name}:${subject}`,
    'x-private': isPrivate,
    ...(mayBeginAt && { 'x-begins-after': `${name}@SEQ` }),
  };
}

/** One Markdown row per topic. */
export function topicsTable(): string {
  const rows = STREAM_PATHS.filter((path) => path !== '/spotWS').flatMap((path) =>
    topicsOf(path).map(({ name, subject, isPrivate, mayBeginAt, summary }) => {
      const topic = subject === '' ? `${name}${mayBeginAt ? '[@SEQ]' : ''}` : `${name}:${subject}`;
      return `| \`${path}\` | \`${topic}\` | ${isPrivate ? 'read' : ''} | ${summary} |`;
    }),
  );
  return `${['| socket | topic | key | frames |', '|---|---|---|---|', ...rows].join('\n')}\n`;
}
