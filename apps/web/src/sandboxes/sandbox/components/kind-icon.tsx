import type { SurvivalItem } from '@threadbox/sdk'
import {
  AppWindow,
  Braces,
  Cable,
  Cpu,
  EthernetPort,
  File,
  FileWarning,
  KeyRound,
  Package,
  SquareTerminal,
} from 'lucide-react'

const icons = {
  process: Cpu,
  service: AppWindow,
  port: EthernetPort,
  connection: Cable,
  variable: Braces,
  shell: SquareTerminal,
  environment: KeyRound,
  package: Package,
  file: File,
  'open-file': FileWarning,
} as const satisfies Record<SurvivalItem['kind'], typeof Cpu>

/** The icon for the kind of a report item. */
export function KindIcon(props: { kind: SurvivalItem['kind'] }) {
  const Icon = icons[props.kind]
  return <Icon className="i" size={16} aria-hidden="true" />
}
