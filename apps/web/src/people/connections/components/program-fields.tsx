import type { Connection } from '@threadbox/sdk'
import { Plus, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { PasswordField } from '../../../page/parts/password-field.tsx'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Input } from '../../../ui/input.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { TextAreaField } from '../../../ui/text-area-field.tsx'
import {
  newVariable,
  type ProgramForm,
  type ProgramProblem,
  type ProgramProblems,
  type VariableForm,
} from '../state/program-form.ts'

/** The MCP program in the sandbox of a connection, and its environment. */
export function ProgramFields(props: {
  form: ProgramForm
  saved: Connection | null
  problems: ProgramProblems
  onChange: (part: Partial<ProgramForm>) => void
}) {
  const { t } = useTranslation('connections')
  const { form, problems, onChange } = props
  const words = useProblemWords()
  const setVariables = (variables: VariableForm[]) => onChange({ variables })
  return (
    <>
      <Field label={t('program.command')} help={t('program.commandHelp')} error={words(problems.command)}>
        {(control) => (
          <Input
            {...control}
            className="mono"
            value={form.command}
            maxLength={500}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => onChange({ command: event.target.value })}
          />
        )}
      </Field>
      <TextAreaField
        label={t('program.args')}
        help={t('program.argsHelp')}
        value={form.args}
        maxLength={20_000}
        onValue={(args) => onChange({ args })}
      />
      <fieldset className="variables">
        <legend>{t('program.variables')}</legend>
        <p className="help">{t(props.saved === null ? 'program.variablesHelp' : 'program.variablesStored')}</p>
        {form.variables.map((variable) => (
          <VariableRow
            key={variable.key}
            variable={variable}
            nameProblem={words(problems.names[variable.key])}
            valueProblem={words(problems.values[variable.key])}
            onChange={(part) =>
              setVariables(form.variables.map((one) => (one.key === variable.key ? { ...one, ...part } : one)))
            }
            onRemove={() => setVariables(form.variables.filter((one) => one.key !== variable.key))}
          />
        ))}
        <Button
          icon={<Plus className="i" size={16} />}
          onClick={() => setVariables([...form.variables, newVariable()])}
        >
          {t('program.addVariable')}
        </Button>
      </fieldset>
    </>
  )
}

function useProblemWords() {
  const { t } = useTranslation('connections')
  return (problem: ProgramProblem | undefined) => (problem === undefined ? undefined : t(`problem.${problem}`))
}

function VariableRow(props: {
  variable: VariableForm
  nameProblem: string | undefined
  valueProblem: string | undefined
  onChange: (part: Partial<VariableForm>) => void
  onRemove: () => void
}) {
  const { t } = useTranslation('connections')
  const { variable, onChange } = props
  const name = variable.name.trim() === '' ? t('program.unnamed') : variable.name.trim()
  return (
    <div className="variable">
      <Field label={t('program.variableName')} error={props.nameProblem}>
        {(control) => (
          <Input
            {...control}
            className="mono"
            value={variable.name}
            maxLength={128}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => onChange({ name: event.target.value })}
          />
        )}
      </Field>
      {variable.isSecret ? (
        <PasswordField
          label={t('program.valueOf', { name })}
          error={props.valueProblem}
          value={variable.value}
          autoComplete="off"
          onChange={(value) => onChange({ value })}
        />
      ) : (
        <Field label={t('program.valueOf', { name })} error={props.valueProblem}>
          {(control) => (
            <Input
              {...control}
              value={variable.value}
              maxLength={4000}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => onChange({ value: event.target.value })}
            />
          )}
        </Field>
      )}
      <div className="row-flex variable-more">
        <Switch
          isOn={variable.isSecret}
          label={t('program.secretOf', { name })}
          onChange={(isSecret) => onChange({ isSecret })}
        />
        <span className="muted grow" aria-hidden>
          {t('program.secret')}
        </span>
        <IconButton label={t('program.removeOf', { name })} onClick={props.onRemove}>
          <X className="i" size={16} />
        </IconButton>
      </div>
    </div>
  )
}
