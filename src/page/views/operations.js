/** How the venue itself is: its health in a sentence, what needs attention, which accounts are near liquidation, its speed, what it refused and why, its books, its disk and process. */
import { Audit } from '../components/audit.js';
import { Health, Needs } from '../components/health.js';
import { RecordingPane } from '../components/recording.js';
import { LatestRefusals, Refusals, Requests } from '../components/refusals-panes.js';
import { ReportPane } from '../components/report-pane.js';
import { Disk, Process } from '../components/resources.js';
import { RiskPane } from '../components/risk-pane.js';
import { Solvency } from '../components/solvency.js';
import { Tiles } from '../components/speed-tiles.js';
import { samples, useSampling } from '../metrics.js';
import { useRead } from '../reads.js';
import { useRisk } from '../risk.js';
import { html } from '../ui.js';

export function OperationsView() {
  useSampling();
  useRisk();
  const health = useRead('/health').value;
  const all = samples.value;
  const last = all[all.length - 1];
  return html`<h1 class="sr">Operations</h1>
    <${Health} health=${health} last=${last} />
    <${Needs} health=${health} last=${last} />
    <${RecordingPane} />
    <${RiskPane} />
    <${Tiles} all=${all} last=${last} />
    <div class="operations">
      <${Requests} last=${last} />
      <${Refusals} />
    </div>
    <${LatestRefusals} />
    <${Solvency} last=${last} />
    <${Audit} />
    <${ReportPane} />
    <div class="operations">
      <${Disk} all=${all} last=${last} />
      <${Process} all=${all} last=${last} />
    </div>`;
}
