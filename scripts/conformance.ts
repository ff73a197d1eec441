/** Writes docs/internal/conformance.md from the tables of test/conformance. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { conformanceDocument } from '../test/conformance/document.ts';
import { sections } from '../test/conformance/tables.ts';

const docs = new URL('../docs/internal/', import.meta.url);
mkdirSync(docs, { recursive: true });
writeFileSync(new URL('conformance.md', docs), conformanceDocument(sections));
