/**
 * The types of the client, in TypeScript, from openapi.json and asyncapi.json. Both are made from the schemas that serve,
 * so the client's types are theirs.
 */

type Json = Readonly<Record<string, unknown>>;

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
}

interface Operation {
  readonly summary: string;
  readonly parameters?: readonly { name: string; required: boolean; description?: string; schema: Schema }[];
  readonly requestBody?: { content: { 'application/json': { schema: Schema } } };
  readonly responses: { 200: { content: { 'application/json': { schema: Schema } } } };
}

interface Message {
  readonly name: string;
  readonly summary: string;
  readonly payload: { $ref: string };
  readonly 'x-topic'?: string;
}

const HEADER = `/**
 * The types of the wire: requests, replies and frames. \`npm run client:types\` makes this file from the documents of the
 * venue. Do not edit it.
 */

/** A JSON number, or the same decimal as text. */
export type Decimal = number | string;
`;

/** The file src/client/types.ts. */
export function clientTypes(openApi: Json, asyncApi: Json): string {
  const { paths, components } = openApi as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, Schema> };
  };
  const { messages, schemas } = (asyncApi as { components: unknown }).components as {
    messages: Record<string, Message>;
    schemas: Record<string, Schema>;
  };
  const topics = Object.values(messages).filter((message) => message['x-topic'] !== undefined);
  const frames = new Set(topics.map(({ payload }) => nameOf(payload.$ref)));
  const clash = [...frames].find((name) => name in components.schemas);
  if (clash !== undefined) throw new Error(`both documents have a ${clash}: rename one`);
  const declared = Object.entries(components.schemas).concat([...frames].map((name) => [name, schemas[name]]));
  return [
    HEADER,
    ...declared.map(([name, schema]) => declaration(name, schema)),
    routes(paths),
    `${topicsOf(topics)}\n`,
  ].join('\n');
}

function declaration(name: string, schema: Schema): string {
  const type = typeOf(schema, '');
  const code = type.startsWith('{') ? `export interface ${name} ${type}` : assigned(`export type ${name} =`, type);
  // Tables of error codes are for the documents.
  return `${comment(schema.description?.split('\n\n')[0], '')}${code}\n`;
}

/** By method and path: the parameters and the reply of every route. */
function routes(paths: Record<string, Record<string, Operation>>): string {
  const byMethod = new Map<string, string[]>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const rows = byMethod.get(method) ?? [];
      byMethod.set(method, rows);
      rows.push(`${comment(operation.summary, '    ')}    '${path}': ${route(operation)};`);
    }
  }
  const members = [...byMethod].map(([method, rows]) => `  ${method.toUpperCase()}: {\n${rows.join('\n')}\n  };`);
  return `/** Every route, by method and path. */\nexport interface Routes {\n${members.join('\n')}\n}\n`;
}

function route({ parameters = [], requestBody, responses }: Operation): string {
  const indent = '      ';
  const members: string[] = [];
  if (parameters.length > 0) {
    const query: Schema = {
      type: 'object',
      required: parameters.filter(({ required }) => required).map(({ name }) => name),
      properties: Object.fromEntries(
        parameters.map(({ name, description, schema }) => [name, { ...schema, ...(description && { description }) }]),
      ),
    };
    const isOptional = parameters.every(({ required }) => !required);
    members.push(`query${isOptional ? '?' : ''}: ${typeOf(query, indent)};`);
  }
  if (requestBody !== undefined)
    members.push(assigned('body:', typeOf(requestBody.content['application/json'].schema, indent)));
  members.push(`reply: ${typeOf(responses[200].content['application/json'].schema, indent)};`);
  return `{\n${members.map((member) => `${indent}${member}`).join('\n')}\n    }`;
}

/** By product and topic: the frames. */
function topicsOf(topics: readonly Message[]): string {
  const members = ['spot', 'futures'].map((product) => {
    const rows = topics
      .filter(({ name }) => [`ws-oss-${product}`, `ws-${product}`].includes(name.split('.')[0]))
      .map(({ summary, payload, 'x-topic': topic = '' }) => {
        const [name, subject] = topic.split(':');
        const key = subject === undefined ? name : `[topic: \`${name}:\${string}\`]`;
        return `${comment(summary, '    ')}    ${key}: ${nameOf(payload.$ref)};`;
      });
    return `  ${product}: {\n${rows.join('\n')}\n  };`;
  });
  return `/** Every topic of the streams, by product. */\nexport interface Topics {\n${members.join('\n')}\n}`;
}

/** A schema as a type. Objects have one line for each member, indented deeper than `indent`. */
function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  const branches = schema.oneOf ?? schema.anyOf;
  if (branches !== undefined)
    return union(
      branches.map((branch) => typeOf(branch, indent)),
      indent,
    );
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map(literal), indent);
  if (schema.format === 'decimal') return 'Decimal';
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
  if (types === undefined) throw new Error(`a schema without a type: ${JSON.stringify(schema)}`);
  return types.map((type) => plainType(type, schema, indent)).join(' | ');
}

/** A long one has a line for each member. */
function union(members: readonly string[], indent: string): string {
  const line = members.join(' | ');
  return line.length <= 100 || line.includes('\n')
    ? line
    : members.map((member) => `\n${indent}  | ${member}`).join('');
}

function plainType(type: string, schema: Schema, indent: string): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
    case 'number':
      return type;
    case 'integer':
      return 'number';
    case 'array':
      return arrayType(schema, indent);
    case 'object':
      return objectType(schema, indent);
    default:
      throw new Error(`the type ${type} has no counterpart`);
  }
}

function arrayType({ items, minItems, maxItems }: Schema, indent: string): string {
  if (items === undefined) throw new Error('an array without items');
  const item = typeOf(items, indent);
  if (minItems !== undefined && minItems === maxItems) return `[${Array(minItems).fill(item).join(', ')}]`;
  return / \| |^\{|^\n/.test(item) ? `Array<${item}>` : `${item}[]`;
}

function objectType({ properties, required = [], additionalProperties }: Schema, indent: string): string {
  if (additionalProperties !== undefined) return `Record<string, ${typeOf(additionalProperties, indent)}>`;
  const members = Object.entries(properties ?? {});
  if (members.length === 0) return 'Record<string, never>';
  const deeper = `${indent}  `;
  const lines = members.map(([name, property]) => {
    const key = `${/^\w+$/.test(name) ? name : `'${name}'`}${required.includes(name) ? '' : '?'}`;
    return `${comment(property.description, deeper)}${deeper}${key}: ${typeOf(property, deeper)};`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

/** A long union begins on the next line. */
function assigned(left: string, type: string): string {
  return `${left}${type.startsWith('\n') ? '' : ' '}${type};`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function comment(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('\n', ' ')} */\n`;
}
