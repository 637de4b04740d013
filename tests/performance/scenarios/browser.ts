import type { Figure } from '../figure.ts'
import type { Stage } from '../stage.ts'
export async function browserFirstPaint(_stage: Stage): Promise<Figure[]> {
  return []
}
