import { Button, type ButtonProps } from './button.tsx'
import { classNames } from './class-names.ts'
import { Tooltip } from './tooltip.tsx'

/** A button whose child is an icon: `label` is its name and its tooltip. */
export function IconButton(
  props: Omit<ButtonProps, 'icon' | 'aria-label'> & { label: string; shortcut?: string | undefined },
) {
  const { label, shortcut, className, variant = 'ghost', children, ...rest } = props
  return (
    <Tooltip label={label} shortcut={shortcut}>
      <Button {...rest} variant={variant} aria-label={label} className={classNames('btn--icon', className)}>
        {children}
      </Button>
    </Tooltip>
  )
}
