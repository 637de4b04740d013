/** A figure that others published. Nothing of it was measured here. */
export type Published = { what: string; figure: string; machine: string; source: string; date: string }

export const published: readonly Published[] = [
  {
    what: 'gVisor: a container is started and stopped again, one processor, 2 GB',
    figure: 'more than 300 ms',
    machine: 'not stated',
    source: 'google/gvisor#13182',
    date: '2026-05-14',
  },
  {
    what: 'gVisor: 25 pods of an empty container at the same time, until they are ready',
    figure: '6.7 s',
    machine: 'bare-metal x86-64 nodes of a Kubernetes 1.31 cluster',
    source: 'google/gvisor#13395',
    date: '2026-06-09',
  },
  {
    what: 'gVisor: `npm ci` of 1,055 packages, against a plain container',
    figure: '1.15 × the time, 2.05 × the processor time',
    machine: 'WSL2, Linux 6.18, runsc 20260810',
    source: 'mifunedev/openharness#806',
    date: '2026-08-19',
  },
  {
    what: 'CubeSandbox (KVM): bytes of a repeated memory snapshot, against a full one',
    figure: 'about 95 × fewer',
    machine: 'not stated',
    source: 'TencentCloud/CubeSandbox#389',
    date: '2026-05-28',
  },
  {
    what: 'CubeSandbox (KVM): ten sandboxes started at the same time, mean',
    figure: '881.5 ms; 823.6 ms with layered snapshots',
    machine: 'not stated',
    source: 'TencentCloud/CubeSandbox#1312',
    date: '2026-08-08',
  },
]
