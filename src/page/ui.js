/** What every component imports: templates, hooks and signals. */

import htm from 'htm';
import { h } from 'preact';

export { batch, computed, effect, signal, useComputed, useSignal, useSignalEffect } from '@preact/signals';
export { render } from 'preact';
export { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

/** A template of elements: html`<p class="note">${text}</p>`. Text is always text, whatever a bot named itself. */
export const html = htm.bind(h);
