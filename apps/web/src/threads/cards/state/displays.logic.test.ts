import { describe, expect, test } from 'vitest'
import { bestItemOf, descriptionOf, imageAddressOf, isTableWithFigure } from './displays.logic.ts'

const display = (...mediaTypes: string[]) => ({
  id: 'd',
  items: mediaTypes.map((mediaType) => ({ mediaType, text: 'x', sizeBytes: 1 })),
})

describe('O2: rich results', () => {
  test('a result without a form that can be shown is offered as a download', () => {
    expect(bestItemOf(display('application/octet-stream'))).toBeNull()
    expect(bestItemOf({ id: 'd', items: [] })).toBeNull()
  })

  test('the first form that can be shown is used; a vendor’s own format is skipped', () => {
    expect(bestItemOf(display('application/vnd.plotly.v1+json', 'text/html', 'text/plain'))?.kind).toBe('html')
    expect(bestItemOf(display('image/svg+xml', 'image/png'))?.item.mediaType).toBe('image/svg+xml')
    expect(bestItemOf(display('text/plain'))?.kind).toBe('text')
  })

  test('an SVG becomes an image address, in which no script runs', () => {
    const item = { mediaType: 'image/svg+xml', text: '<svg onload="x()"/>', sizeBytes: 1 }
    expect(imageAddressOf(item)).toMatch(/^data:image\/svg\+xml;charset=utf-8,%3Csvg/)
  })

  test('Base64 in several lines becomes one address', () => {
    expect(imageAddressOf({ mediaType: 'image/png', text: 'AAA\nBBB\n', sizeBytes: 6 })).toBe(
      'data:image/png;base64,AAABBB',
    )
  })

  test('the plain text describes a figure unless it only names an object', () => {
    const withText = (text: string) =>
      descriptionOf({ id: 'd', items: [{ mediaType: 'text/plain', text, sizeBytes: 1 }] })
    expect(withText('<Figure size 640x480 with 1 Axes>')).toBeNull()
    expect(withText('Mean trips per hour')).toBe('Mean trips per hour')
  })

  test('a narrow table and a figure are side by side, all others below each other', () => {
    const table = (columns: number) => ({
      id: 't',
      items: [
        { mediaType: 'text/html', text: `<table><tr>${'<td>1</td>'.repeat(columns)}</tr></table>`, sizeBytes: 1 },
      ],
    })
    expect(isTableWithFigure([table(3), display('image/png')])).toBe(true)
    expect(isTableWithFigure([table(9), display('image/png')])).toBe(false)
    expect(isTableWithFigure([display('image/png'), table(3)])).toBe(false)
    expect(isTableWithFigure([table(3)])).toBe(false)
  })
})
