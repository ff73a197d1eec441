/** Shapes, as inline SVG: no font of the machine is needed, and a shape carries what a colour says. */
import { html } from '../ui.js';

/** @param {{ d: string, size?: number, fill?: boolean }} shape */
const Shape = ({ d, size = 12, fill = true }) => html`
  <svg width=${size} height=${size} viewBox="0 0 12 12" aria-hidden="true" fill=${fill ? 'currentColor' : 'none'}
    stroke=${fill ? 'none' : 'currentColor'} stroke-width="1.6"><path d=${d} /></svg>`;

/** ▲ or ▼. The word beside it says the same to those who do not see it. @param {{ side: string, size?: number }} props */
export const SideMark = ({ side, size = 8 }) =>
  html`<${Shape} size=${size} d=${side === 'BUY' ? 'M6 2l5 8H1z' : 'M6 10L1 2h10z'} />`;

/** As the chart marks fills. @param {{ side: string }} props */
export const FillMark = ({ side }) =>
  html`<${Shape} size=${10} d=${side === 'BUY' ? 'M6 0l5 6H8v6H4V6H1z' : 'M6 12l5-6H8V0H4v6H1z'} />`;

export const Pause = () => html`<${Shape} d="M2 1h3v10H2zM7 1h3v10H7z" size=${10} />`;
export const Warning = () => html`<${Shape} fill=${false} d="M6 1.5L11 10.5H1zM6 5v2.6M6 8.6v1" />`;
export const Check = () => html`<${Shape} fill=${false} d="M2 6.5l3 3 5-7" size=${10} />`;
export const Cross = () => html`<${Shape} fill=${false} d="M2 2l8 8M10 2l-8 8" size=${10} />`;
export const Diamond = () => html`<${Shape} fill=${false} d="M6 1l5 5-5 5-5-5z" size=${10} />`;
export const DiamondFull = () => html`<${Shape} d="M6 1l5 5-5 5-5-5z" size=${10} />`;
export const Disc = () => html`<${Shape} d="M6 2a4 4 0 1 0 0 8 4 4 0 0 0 0-8z" size=${10} />`;
export const Ring = () => html`<${Shape} fill=${false} d="M6 2a4 4 0 1 0 0 8 4 4 0 0 0 0-8z" size=${10} />`;
export const Square = () => html`<${Shape} d="M2 2h8v8H2z" size=${10} />`;
export const Rests = () => html`<${Shape} fill=${false} d="M1 2.5h10M1 6h7M1 9.5h9" size=${10} />`;
export const Steps = () => html`<${Shape} fill=${false} d="M1 10.5h3V7.5h3V4.5h3V1.5h1" size=${10} />`;
export const Both = () => html`<${Shape} fill=${false} d="M1 4h9L7.5 1.5M11 8H2l2.5 2.5" size=${10} />`;
export const Waves = () => html`<${Shape} fill=${false} d="M1 5q2.5-4 5-1t5-1M1 10q2.5-4 5-1t5-1" size=${10} />`;

export const Brand = () => html`
  <svg width="18" height="18" viewBox="0 0 16 16" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.5">
    <path d="M4.5 1.5v3M4.5 11v3.5M2.5 4.5h4V11h-4z" /><path d="M11.5 1v2.5M11.5 12v3" /><path fill="currentColor" d="M9.5 3.5h4V12h-4z" />
  </svg>`;
