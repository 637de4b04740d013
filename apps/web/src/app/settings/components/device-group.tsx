import { useTranslation } from 'react-i18next'
import { type Language, languages } from '../../../i18n/language.ts'
import { chooseTheme, type ThemeSetting, useThemeSetting } from '../../../page/client/theme.ts'
import { useSwitchLanguage } from '../../../page/client/use-switch-language.ts'
import { Group } from '../../../page/parts/section.tsx'
import { Field } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'

const themes = ['system', 'light', 'dark'] as const satisfies readonly ThemeSetting[]
const languageOptions = (Object.keys(languages) as Language[]).map((value) => ({ value, label: languages[value] }))

/** Settings of this browser only: language and theme. Both take effect immediately. */
export function DeviceGroup() {
  const { t, i18n } = useTranslation('settings')
  const theme = useThemeSetting()
  const switchLanguage = useSwitchLanguage()
  return (
    <Group title={t('you.appearance')}>
      <div className="settings-form">
        <Field label={t('you.language')} help={t('you.languageHelp')}>
          {(control) => (
            <Select
              id={control.id}
              value={i18n.language as Language}
              options={languageOptions}
              onChange={switchLanguage}
            />
          )}
        </Field>
        <Field label={t('you.theme')}>
          {(control) => (
            <Select
              id={control.id}
              value={theme}
              options={themes.map((value) => ({ value, label: t(`you.themes.${value}`) }))}
              onChange={chooseTheme}
            />
          )}
        </Field>
      </div>
    </Group>
  )
}
