import type { ModelConnection } from '@threadbox/sdk'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { PasswordField } from '../../../page/parts/password-field.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { Select } from '../../../ui/select.tsx'
import type { ModelForm, ModelFormField, ModelFormProblem } from '../state/model-form.ts'
import { providerOf } from '../state/provider-catalog.ts'

/** Context of the form: where the key comes from, whether it is about to be removed, suggested names. */
export type KnownBeside = {
  keySource: ModelConnection['keySource']
  isMoved: boolean
  names: readonly string[]
  /** Models that can take over. */
  others: readonly ModelConnection[]
}

type FieldsProps = {
  form: ModelForm
  onChange: (part: Partial<ModelForm>) => void
  problems: Partial<Record<ModelFormField, ModelFormProblem>>
  known: KnownBeside
}

export function ModelFields(props: FieldsProps) {
  const { t } = useTranslation('models')
  const provider = providerOf(props.form.provider)
  const namesId = useId()
  const isUrlFirst = provider.url === 'required'
  return (
    <>
      {isUrlFirst && <UrlField {...props} />}
      <TextField {...props} field="model" label={t('dialog.model')} help={t('dialog.modelHelp')} listId={namesId} />
      <datalist id={namesId}>
        {props.known.names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {provider.key === 'none' ? null : <KeyField {...props} />}
      <details className="more" open={hasProblem(props.problems, ['contextTokens', 'inputUsdPerMillion'])}>
        <summary>{isUrlFirst ? t('dialog.more') : t('dialog.moreUrl')}</summary>
        {isUrlFirst ? null : <UrlField {...props} />}
        <TextField {...props} field="name" label={t('dialog.name')} help={t('dialog.nameHelp')} />
        <TextField
          {...props}
          field="contextTokens"
          label={t('dialog.contextTokens')}
          help={t('dialog.contextHelp')}
          isFigure
        />
        <ImagesField {...props} />
        <div className="pair">
          <TextField {...props} field="inputUsdPerMillion" label={t('dialog.inputPrice')} isFigure />
          <TextField {...props} field="outputUsdPerMillion" label={t('dialog.outputPrice')} isFigure />
        </div>
        <p className="help">{t('dialog.priceHelp')}</p>
        <FallbackFields {...props} />
      </details>
    </>
  )
}

function hasProblem(problems: FieldsProps['problems'], fields: readonly ModelFormField[]): boolean {
  return fields.some((field) => problems[field] !== undefined)
}

function UrlField(props: FieldsProps) {
  const { t } = useTranslation('models')
  const provider = providerOf(props.form.provider)
  return (
    <TextField
      {...props}
      field="baseUrl"
      label={provider.url === 'required' ? t('dialog.baseUrl') : t('dialog.baseUrlOptional')}
      help={t('dialog.baseUrlHelp', { example: provider.urlExample })}
    />
  )
}

function KeyField(props: FieldsProps) {
  const { t } = useTranslation('models')
  const { keySource, isMoved } = props.known
  const problem = props.problems.apiKey
  const help = isMoved
    ? t('dialog.apiKeyMoved')
    : { stored: t('dialog.apiKeyStored'), environment: t('dialog.apiKeyEnvironment'), none: t('dialog.apiKeyHelp') }[
        keySource
      ]
  const isRequired = providerOf(props.form.provider).key === 'required' && (keySource === 'none' || isMoved)
  return (
    <PasswordField
      label={isRequired ? t('dialog.apiKey') : t('dialog.apiKeyOptional')}
      value={props.form.apiKey}
      onChange={(apiKey) => props.onChange({ apiKey })}
      autoComplete="off"
      help={help}
      error={problem === undefined ? undefined : t(`problem.${problem}`)}
    />
  )
}

/** How many models can take over. */
const fallbackPlaces = [0, 1, 2] as const
const nothing = 'none'

/** Models that take over when this one can’t respond, one select for each place. */
function FallbackFields({ form, known, onChange }: FieldsProps) {
  const { t } = useTranslation('models')
  const shown = fallbackPlaces.filter((place) => place <= form.fallbackIds.length && place < known.others.length)
  const change = (place: number, id: string) => {
    const kept = form.fallbackIds.filter((_, index) => index !== place)
    const fallbackIds =
      id === nothing ? kept : [...form.fallbackIds.slice(0, place), id, ...form.fallbackIds.slice(place + 1)]
    onChange({ fallbackIds })
  }
  return shown.map((place) => {
    const free = known.others.filter(({ id }) => form.fallbackIds[place] === id || !form.fallbackIds.includes(id))
    const help = place === 0 ? { help: t('dialog.fallbackHelp') } : {}
    return (
      <Field key={place} label={t('dialog.fallback', { number: place + 1 })} {...help}>
        {(control) => (
          <Select
            id={control.id}
            value={form.fallbackIds[place] ?? nothing}
            onChange={(id) => change(place, id)}
            options={[
              { value: nothing, label: t('dialog.fallbackNone') },
              ...free.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        )}
      </Field>
    )
  })
}

function ImagesField(props: FieldsProps) {
  const { t } = useTranslation('models')
  return (
    <Field label={t('dialog.seesImages')} help={t('dialog.seesImagesHelp')}>
      {(control) => (
        <Select
          id={control.id}
          value={props.form.seesImages === '' ? 'known' : props.form.seesImages}
          onChange={(choice) => props.onChange({ seesImages: choice === 'known' ? '' : choice })}
          options={[
            { value: 'known', label: t('dialog.seesImagesKnown') },
            { value: 'yes', label: t('dialog.seesImagesYes') },
            { value: 'no', label: t('dialog.seesImagesNo') },
          ]}
        />
      )}
    </Field>
  )
}

function TextField(
  props: FieldsProps & {
    field: Exclude<ModelFormField, 'apiKey' | 'seesImages'>
    label: string
    help?: string
    listId?: string
    isFigure?: boolean
  },
) {
  const { t } = useTranslation('models')
  const problem = props.problems[props.field]
  return (
    <Field label={props.label} help={props.help} error={problem === undefined ? undefined : t(`problem.${problem}`)}>
      {(control) => (
        <Input
          {...control}
          value={props.form[props.field]}
          onChange={(event) => props.onChange({ [props.field]: event.target.value })}
          inputMode={props.isFigure === true ? 'decimal' : undefined}
          list={props.listId}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
      )}
    </Field>
  )
}
