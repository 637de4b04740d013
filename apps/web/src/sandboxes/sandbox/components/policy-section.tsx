import type { SandboxDetail } from '@threadbox/sdk'
import { RotateCcw } from 'lucide-react'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { HelpLink } from '../../../page/docs/docs-link.tsx'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Input } from '../../../ui/input.tsx'
import { Select } from '../../../ui/select.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useChangeSandbox } from '../api/sandbox.queries.ts'
import {
  installationValue,
  type PolicyChange,
  type PolicyName,
  type PolicyNumber,
  policyNumbers,
  policyText,
  readPolicy,
} from '../state/policy.logic.ts'

type Save = (policy: PolicyChange) => void
/** The source of the effective value. */
type Source = 'own' | 'workspace' | 'installation'

/** When this thread’s sandbox sleeps and what is kept, each value with its source. */
export function PolicySection(props: { threadId: string; detail: SandboxDetail }) {
  const { t } = useTranslation('sandbox')
  const change = useChangeSandbox(props.threadId)
  const { policy, ownPolicy, workspacePolicy } = props.detail
  const sourceOf = (name: PolicyName): Source =>
    ownPolicy.includes(name) ? 'own' : workspacePolicy?.includes(name) ? 'workspace' : 'installation'
  const save: Save = (next) => change.mutate({ policy: next }, { onSuccess: () => showToast(t('pane.saved')) })
  const numberRow = (name: PolicyNumber) => (
    <NumberRow
      key={`${name}:${policyText(policy, name)}`}
      name={name}
      saved={policyText(policy, name)}
      source={sourceOf(name)}
      isSaving={change.isPending}
      onSave={save}
    />
  )
  return (
    <section className="sec" aria-label={t('pane.policy')}>
      <div className="sec-h">
        <span>
          {t('pane.policy')} <HelpLink to={docsPlaces.sleep} about={t('pane.policy')} />
        </span>
      </div>
      <div className="pane-policy">
        {numberRow('idlePauseMinutes')}
        {numberRow('hotHours')}
        <PolicyRow name="hotKeep" source={sourceOf('hotKeep')} onSave={save}>
          {(id) => (
            <Select
              id={id}
              value={policy.hotKeep}
              options={[
                { value: 'guaranteed', label: t('pane.hotKeepOf.guaranteed') },
                { value: 'strict', label: t('pane.hotKeepOf.strict') },
              ]}
              onChange={(hotKeep) => save({ hotKeep })}
            />
          )}
        </PolicyRow>
        {numberRow('maxAwakeHours')}
        {numberRow('retentionDays')}
        {numberRow('maxServices')}
      </div>
      {change.error !== null && <FormProblem error={change.error} />}
    </section>
  )
}

/** Name, value and source, with a button to restore the inherited value. */
function PolicyRow(props: { name: PolicyName; source: Source; onSave: Save; children: (id: string) => ReactNode }) {
  const { t } = useTranslation('sandbox')
  const id = useId()
  const name = t(`pane.${props.name}`)
  return (
    <div className="policy-row">
      <label htmlFor={id}>{name}</label>
      <div className="policy-value">{props.children(id)}</div>
      <span className="policy-source">
        <span className={props.source === 'own' ? 'badge badge--acc' : 'badge'}>{t(`pane.${props.source}`)}</span>
        {props.source === 'own' && (
          <IconButton
            size="sm"
            label={t('pane.useInherited', { name })}
            onClick={() => props.onSave(installationValue(props.name))}
          >
            <RotateCcw className="i" size={14} />
          </IconButton>
        )}
      </span>
    </div>
  )
}

function NumberRow(props: { name: PolicyNumber; saved: string; source: Source; isSaving: boolean; onSave: Save }) {
  const { t } = useTranslation('sandbox')
  const { name, saved } = props
  const [text, setText] = useState(saved)
  const problemId = useId()
  const range = policyNumbers[name]
  const result = readPolicy(name, text)
  const problem = text !== saved && 'problem' in result ? result.problem : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text !== saved && 'change' in result) props.onSave(result.change)
  }
  return (
    <PolicyRow name={name} source={props.source} onSave={props.onSave}>
      {(id) => (
        <form onSubmit={submit} noValidate>
          <Input
            id={id}
            className="num"
            inputMode="decimal"
            autoComplete="off"
            value={text}
            placeholder={name === 'retentionDays' ? t('pane.never') : undefined}
            aria-invalid={problem !== undefined || undefined}
            aria-describedby={problem === undefined ? undefined : problemId}
            onChange={(event) => setText(event.target.value)}
          />
          <span className="faint">{t(`pane.${range.unit}`)}</span>
          {text !== saved && (
            <Button
              type="submit"
              size="sm"
              variant="primary"
              isDisabled={problem !== undefined}
              isLoading={props.isSaving}
            >
              {t('pane.save')}
            </Button>
          )}
          {problem !== undefined && (
            <p className="help help--error" id={problemId} role="alert">
              {problem === 'range'
                ? t('pane.limitProblem', { minimum: range.minimum, maximum: range.maximum })
                : t('pane.unreadable', { example: range.minimum })}
            </p>
          )}
        </form>
      )}
    </PolicyRow>
  )
}
