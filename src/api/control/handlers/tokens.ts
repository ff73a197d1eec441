/** Control tokens: created, listed by name and scope, revoked. */
import { readAccountName } from '../../../config/config.ts';
import type { Field } from '../../../config/field.ts';
import { ApiError, shortened } from '../../shared/errors.ts';
import type { ControlContext } from '../context.ts';
import { refuseProblems } from '../problems.ts';
import { MOST_TOKENS, SCOPES } from '../tokens.ts';

export async function listTokens({ tokens }: ControlContext): Promise<object> {
  return { tokens: tokens.list.map(({ name, scope, createdMs }) => ({ name, scope, createdMs })) };
}

export async function createToken({ tokens }: ControlContext, body: Field): Promise<object> {
  body.object(['name', 'scope']);
  const name = readAccountName(body.at('name'));
  const scope = body.at('scope').oneOf(SCOPES);
  refuseProblems(body);
  if (tokens.has(name)) throw new ApiError('tokenExists', { name });
  if (tokens.isFull) throw new ApiError('tooManyTokens', { maximum: MOST_TOKENS });
  return { name, scope, token: tokens.create(name, scope) };
}

export async function revokeToken({ tokens }: ControlContext, _body: Field, name: string): Promise<object> {
  if (!tokens.revoke(name)) throw new ApiError('unknownToken', { name: shortened(name) });
  return {};
}
