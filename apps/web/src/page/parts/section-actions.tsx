import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'

/** The button that adds to a section’s list, and what stands beside it. */
export function SectionActions(props: { addLabel: string; onAdd: () => void; children?: ReactNode }) {
  return (
    <div className="row-flex section-actions">
      <Button variant="primary" size="md" icon={<Plus className="i" size={16} />} onClick={props.onAdd}>
        {props.addLabel}
      </Button>
      {props.children}
    </div>
  )
}
