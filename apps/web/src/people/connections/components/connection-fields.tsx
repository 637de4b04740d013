import type { Connection, ConnectionPreset } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { PasswordField } from '../../../page/parts/password-field.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { Select } from '../../../ui/select.tsx'
import { useWorkspaces } from '../../workspaces/api/workspaces.queries.ts'
import {
  type ConnectionField,
  type ConnectionForm,
  type ConnectionProblem,
  keepsSecret,
} from '../state/connection-form.ts'
import type { ProgramProblems } from '../state/program-form.ts'
import { ProgramFields } from './program-fields.tsx'

type FieldsProps = {
  form: ConnectionForm
  preset: ConnectionPreset | null
  saved: Connection | null
  problems: Partial<Record<ConnectionField, ConnectionProblem>>
  programProblems: ProgramProblems
  onChange: (part: Partial<ConnectionForm>) => void
}

const authKinds = ['bearer', 'header', 'oauth', 'none'] as const

const kinds = ['http', 'stdio'] as const

export function ConnectionFields(props: FieldsProps) {
  const { t } = useTranslation('connections')
  const { form, saved, onChange } = props
  return (
    <>
      <TextField {...props} field="name" label={t('dialog.name')} help={t('dialog.nameHelp')} maxLength={60} />
      {saved === null && (
        <Field label={t('dialog.kind')} help={t(`dialog.kindHelp.${form.kind}`)}>
          {(control) => (
            <Select
              id={control.id}
              value={form.kind}
              options={kinds.map((value) => ({ value, label: t(`dialog.kindOf.${value}`) }))}
              onChange={(kind) => onChange({ kind })}
            />
          )}
        </Field>
      )}
      {form.kind === 'http' ? (
        <AddressFields {...props} />
      ) : (
        <ProgramFields
          form={form.program}
          saved={saved}
          problems={props.programProblems}
          onChange={(part) => onChange({ program: { ...form.program, ...part } })}
        />
      )}
      {saved === null && <ScopeField {...props} />}
    </>
  )
}

/** The address of the server, and how it authenticates you. */
function AddressFields(props: FieldsProps) {
  const { t } = useTranslation('connections')
  const { form, onChange } = props
  return (
    <>
      <TextField {...props} field="url" label={t('dialog.url')} help={t('dialog.urlHelp')} maxLength={1000} />
      <Field label={t('dialog.auth')}>
        {(control) => (
          <Select
            id={control.id}
            value={form.authKind}
            options={authKinds.map((value) => ({ value, label: t(`dialog.authKind.${value}`) }))}
            onChange={(authKind) => onChange({ authKind })}
          />
        )}
      </Field>
      {form.authKind === 'header' && (
        <TextField {...props} field="header" label={t('dialog.header')} help={t('dialog.headerHelp')} maxLength={64} />
      )}
      {form.authKind === 'oauth' && <ClientFields {...props} />}
      {(form.authKind === 'bearer' || form.authKind === 'header') && <SecretField {...props} />}
    </>
  )
}

function TextField(
  props: FieldsProps & {
    field: 'name' | 'url' | 'header' | 'clientId'
    label: string
    help: string
    maxLength: number
  },
) {
  const { t } = useTranslation('connections')
  const problem = props.problems[props.field]
  return (
    <Field label={props.label} help={props.help} error={problem === undefined ? undefined : t(`problem.${problem}`)}>
      {(control) => (
        <Input
          {...control}
          value={props.form[props.field]}
          maxLength={props.maxLength}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => props.onChange({ [props.field]: event.target.value })}
        />
      )}
    </Field>
  )
}

/** For servers that accept only clients registered by hand. */
function ClientFields(props: FieldsProps) {
  const { t } = useTranslation('connections')
  const { form, saved } = props
  return (
    <details className="more-fields">
      <summary>{t('dialog.client')}</summary>
      <p className="muted">{t('dialog.clientHelp', { address: `${location.origin}/connections/login` })}</p>
      <TextField
        {...props}
        field="clientId"
        label={t('dialog.clientId')}
        help={saved?.auth.kind === 'oauth' ? t('dialog.clientAgain') : ''}
        maxLength={1000}
      />
      <PasswordField
        label={t('dialog.clientSecret')}
        value={form.secret}
        autoComplete="off"
        onChange={(secret) => props.onChange({ secret })}
      />
    </details>
  )
}

function SecretField(props: FieldsProps) {
  const { t } = useTranslation('connections')
  const { form, saved, preset } = props
  const problem = props.problems.secret
  const isStored = keepsSecret({ ...form, secret: '' }, saved)
  const help = isStored ? t('dialog.secretStored') : saved !== null ? t('dialog.secretAgain') : t('dialog.secretHelp')
  return (
    <div>
      <PasswordField
        label={t('dialog.secret')}
        help={help}
        error={problem === undefined ? undefined : t(`problem.${problem}`)}
        value={form.secret}
        autoComplete="off"
        onChange={(secret) => props.onChange({ secret })}
      />
      {preset !== null && preset.tokenUrl !== null && (
        <a className="link" href={preset.tokenUrl} target="_blank" rel="noreferrer">
          {t('dialog.tokenPage', { name: preset.name })}
        </a>
      )}
    </div>
  )
}

/** A workspace’s connection serves all its threads; your own serves all of yours. */
function ScopeField(props: FieldsProps) {
  const { t } = useTranslation('connections')
  const workspaces = useWorkspaces()
  // A select can’t have an empty value.
  const own = 'own'
  if (workspaces.length === 0) return null
  return (
    <Field label={t('dialog.scope')} help={t('dialog.scopeHelp')}>
      {(control) => (
        <Select
          id={control.id}
          value={props.form.workspaceId === '' ? own : props.form.workspaceId}
          options={[
            { value: own, label: t('dialog.scopeOwn') },
            ...workspaces.map(({ id, name }) => ({ value: id, label: t('dialog.scopeWorkspace', { name }) })),
          ]}
          onChange={(value) => props.onChange({ workspaceId: value === own ? '' : value })}
        />
      )}
    </Field>
  )
}
