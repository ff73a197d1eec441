/** All tables, in the order of the specification. */
import { sections as endpoints } from './endpoints.ts';
import { section as futuresRecord } from './futures-record.ts';
import { section as futuresRequest } from './futures-request.ts';
import { sections as rest } from './rest.ts';
import { section as spotAlgoRecord } from './spot-algo-record.ts';
import { sections as spotAlgoRequest } from './spot-algo-request.ts';
import { section as spotLookupRecord } from './spot-lookup-record.ts';
import { sections as states } from './states.ts';
import { section as streams } from './streams.ts';
import type { Section } from './table.ts';

export const sections: readonly Section[] = [
  futuresRequest,
  futuresRecord,
  ...spotAlgoRequest,
  spotAlgoRecord,
  spotLookupRecord,
  ...states,
  ...endpoints,
  ...rest,
  streams,
];
