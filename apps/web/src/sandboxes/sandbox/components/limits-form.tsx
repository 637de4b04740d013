import type { SandboxView } from '@threadbox/sdk'
import { RotateCcw } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { HelpLink } from '../../../page/docs/docs-link.tsx'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Input } from '../../../ui/input.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { reachPaneTarget, usePaneState } from '../../panes/state/pane-store.ts'
import { useChangeSandbox } from '../api/sandbox.queries.ts'
import { type LimitName, type LimitProblem, limitNames, limitText, readLimit } from '../state/limits.logic.ts'

type Texts = Partial<Record<LimitName, string>>

/** The limits of the sandbox, which can be changed while it runs. Only changed fields are sent. */
export function LimitsForm(props: {
  threadId: string
  limits: SandboxView['limits']
  /** The names of limits set by the thread itself, and of those from its workspace. */
  sources: { own: readonly string[]; workspace: readonly string[] }
  usedDiskBytes: number | null
}) {
  const { t } = useTranslation('sandbox')
  const { limits, usedDiskBytes } = props
  const change = useChangeSandbox(props.threadId)
  const section = useLimitsTarget()
  const [texts, setTexts] = useState<Texts>({})
  const { own, workspace } = props.sources
  const sourceOf = (name: LimitName) =>
    own.includes(name) ? 'own' : workspace.includes(name) ? 'workspace' : undefined
  const read = (name: LimitName) => readLimit(name, texts[name] ?? limitText(name, limits[name]), { usedDiskBytes })
  const changed = limitNames.filter(
    (name) => texts[name] !== undefined && texts[name] !== limitText(name, limits[name]),
  )
  const isWrong = changed.some((name) => 'problem' in read(name))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isWrong || changed.length === 0) return
    const values = changed.flatMap((name) => {
      const result = read(name)
      return 'value' in result ? [[name, result.value] as const] : []
    })
    change.mutate(
      { limits: Object.fromEntries(values) },
      {
        onSuccess: () => {
          setTexts({})
          showToast(t('pane.saved'))
        },
      },
    )
  }
  const inherit = (name: LimitName) =>
    change.mutate(
      { limits: { [name]: null } },
      {
        onSuccess: () => {
          setTexts({ ...texts, [name]: undefined })
          showToast(t('pane.saved'))
        },
      },
    )
  return (
    <section className="sec" aria-label={t('pane.limits')} ref={section}>
      <div className="sec-h">
        <span>
          {t('pane.limits')} <HelpLink to={docsPlaces.limits} about={t('pane.limits')} />
        </span>
        <span className="help">{t('pane.limitsHelp')}</span>
      </div>
      <form onSubmit={submit} noValidate>
        <div className="pane-fields">
          {limitNames.map((name) => (
            <LimitField
              key={name}
              name={name}
              source={sourceOf(name)}
              onInherit={() => inherit(name)}
              text={texts[name] ?? limitText(name, limits[name])}
              problem={changed.includes(name) ? problemOf(read(name)) : undefined}
              onText={(text) => setTexts({ ...texts, [name]: text })}
            />
          ))}
        </div>
        {changed.length > 0 && (
          <div className="row-flex pane-save">
            <Button type="submit" variant="primary" size="md" isDisabled={isWrong} isLoading={change.isPending}>
              {change.isPending ? t('pane.saving') : t('pane.save')}
            </Button>
            <Button size="md" variant="ghost" onClick={() => setTexts({})}>
              {t('pane.undo')}
            </Button>
          </div>
        )}
        {change.error !== null && <FormProblem error={change.error} />}
      </form>
    </section>
  )
}

/** Scrolls the limits into view on request, and focuses the first one. */
function useLimitsTarget() {
  const section = useRef<HTMLElement>(null)
  const { paneTarget } = usePaneState()
  useEffect(() => {
    if (paneTarget !== 'limits') return
    section.current?.scrollIntoView({ block: 'start' })
    section.current?.querySelector('input')?.focus({ preventScroll: true })
    reachPaneTarget()
  }, [paneTarget])
  return section
}

const labels = { memoryBytes: 'memory', cpus: 'cpus', processes: 'processCount', diskBytes: 'disk' } as const

function LimitField(props: {
  name: LimitName
  text: string
  /** Undefined: the value of the installation. */
  source: 'own' | 'workspace' | undefined
  problem: LimitProblem | undefined
  /** Removes the thread’s own value. */
  onInherit: () => void
  onText: (text: string) => void
}) {
  const { t } = useTranslation('sandbox')
  const format = useFormat()
  const { problem } = props
  const sentence = (found: LimitProblem) => {
    if (found.kind === 'range') return t('pane.limitProblem', { minimum: found.minimum, maximum: found.maximum })
    if (found.kind === 'in-use') return t('pane.diskBelowUse', { used: format.binaryBytes(found.usedBytes) })
    return t('pane.unreadable', { example: found.example })
  }
  const label = t(`pane.${labels[props.name]}`)
  return (
    <Field
      label={label}
      help={
        props.source && (
          <>
            {t(`pane.${props.source}`)}
            {props.source === 'own' && (
              <IconButton size="sm" label={t('pane.useInherited', { name: label })} onClick={props.onInherit}>
                <RotateCcw className="i" size={14} />
              </IconButton>
            )}
          </>
        )
      }
      error={problem === undefined ? undefined : sentence(problem)}
    >
      {(control) => (
        <Input
          {...control}
          className="num"
          value={props.text}
          autoComplete="off"
          onChange={(event) => props.onText(event.target.value)}
        />
      )}
    </Field>
  )
}

function problemOf(result: ReturnType<typeof readLimit>): LimitProblem | undefined {
  return 'problem' in result ? result.problem : undefined
}
