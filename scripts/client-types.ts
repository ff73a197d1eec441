/** Writes src/client/types.ts, the types of the client, from the routes and the topics. */
import { writeFileSync } from 'node:fs';
import manifest from '../package.json' with { type: 'json' };
import { openApiDocument } from '../src/api/shared/openapi.ts';
import { asyncApiDocument } from '../src/api/streams/asyncapi.ts';
import { SURFACES } from '../src/start.ts';
import { clientTypes } from './client-types/typescript.ts';

const types = clientTypes(openApiDocument(SURFACES, manifest.version), asyncApiDocument(manifest.version));
writeFileSync(new URL('../src/client/types.ts', import.meta.url), types);
