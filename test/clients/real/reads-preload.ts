/** Node loads this before a script whose reads are noted: of answers over HTTP, and of frames. */
import { subscribe } from 'node:diagnostics_channel';
import { noting, origin, writer } from './reads.ts';

const { BOURSE_READS: file = '', BTSE_SAMPLES: folder = '' } = process.env;
const note = writer(file);
let route = '';
subscribe('http.client.response.finish', (message) => {
  const { method, path } = (message as { request: { method: string; path: string } }).request;
  route = `${method} ${path.split('?')[0]}`;
});

const parse = JSON.parse;
JSON.parse = (...given) => {
  const value = parse(...given);
  const at = origin(value, route);
  return at === '' ? value : noting(value, at, [folder], note);
};
