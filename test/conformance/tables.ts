/** All tables, in the order of the specification. */
import { section as futuresRecord } from './futures-record.ts';
import { section as futuresRequest } from './futures-request.ts';
import { sections as spotAlgoRequest } from './spot-algo-request.ts';
import type { Section } from './table.ts';

export const sections: readonly Section[] = [futuresRequest, futuresRecord, ...spotAlgoRequest];
