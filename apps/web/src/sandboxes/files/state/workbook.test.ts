import { expect, test } from 'vitest'
import { sheetsOf } from './workbook.ts'

const record = (sizeBytes: number, values: [offset: number, bytes: 2 | 4, value: number][]) => {
  const view = new DataView(new ArrayBuffer(sizeBytes))
  for (const [offset, bytes, value] of values) {
    if (bytes === 2) view.setUint16(offset, value, true)
    else view.setUint32(offset, value, true)
  }
  return new Uint8Array(view.buffer)
}

/** A ZIP archive as spreadsheet programs write it. */
async function zipOf(files: Record<string, string>): Promise<Uint8Array<ArrayBuffer>> {
  const locals: Uint8Array<ArrayBuffer>[] = []
  const centrals: Uint8Array<ArrayBuffer>[] = []
  let offset = 0
  for (const [name, text] of Object.entries(files)) {
    const deflated = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'))
    const packed = new Uint8Array(await new Response(deflated).arrayBuffer())
    const shownName = new TextEncoder().encode(name)
    locals.push(
      record(30, [
        [0, 4, 0x04034b50],
        [8, 2, 8],
        [26, 2, name.length],
      ]),
      shownName,
      packed,
    )
    centrals.push(
      record(46, [
        [0, 4, 0x02014b50],
        [10, 2, 8],
        [20, 4, packed.length],
        [28, 2, name.length],
        [42, 4, offset],
      ]),
      shownName,
    )
    offset += 30 + name.length + packed.length
  }
  const end = record(22, [
    [0, 4, 0x06054b50],
    [10, 2, Object.keys(files).length],
    [16, 4, offset],
  ])
  return new Uint8Array(await new Blob([...locals, ...centrals, end]).arrayBuffer())
}

const workbook = {
  'xl/workbook.xml':
    '<workbook><sheets><sheet name="A &amp; B" sheetId="1" r:id="r1"/><sheet name="Empty" sheetId="2" r:id="r2"/></sheets></workbook>',
  'xl/_rels/workbook.xml.rels':
    '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Target="/xl/worksheets/sheet2.xml"/></Relationships>',
  'xl/sharedStrings.xml':
    '<sst><si><t>day</t></si><si><r><t>tri</t></r><r><t>ps</t></r><rPh><t>no</t></rPh></si></sst>',
  'xl/styles.xml':
    '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="yyyy\\-mm\\-dd"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs></styleSheet>',
  'xl/worksheets/sheet1.xml':
    '<worksheet><sheetData><row><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>' +
    '<row><c r="A2" s="1"><v>45292</v></c><c r="B2" t="b"><v>1</v></c><c r="C2"><f>1+1</f><v>2</v></c></row>' +
    '<row><c r="A3" t="inlineStr"><is><t>x &lt; y</t></is></c><c r="B3"/></row></sheetData></worksheet>',
  'xl/worksheets/sheet2.xml': '<worksheet><sheetData/></worksheet>',
}

test('a workbook has sheets of texts, dates, booleans and results of formulas, each in its column', async () => {
  const sheets = await sheetsOf(await zipOf(workbook))
  expect(sheets.map(({ name }) => name)).toEqual(['A & B', 'Empty'])
  const table = await sheets[0]?.read()
  expect(table?.columns).toEqual(['day', '', 'trips'])
  expect(table?.rows).toEqual([
    ['2024-01-01', 'TRUE', '2'],
    ['x < y', '', ''],
  ])
  expect((await sheets[1]?.read())?.columns).toEqual([])
})

test('a file that is not a workbook is rejected', async () => {
  await expect(sheetsOf(new Uint8Array([1, 2, 3]))).rejects.toThrow(TypeError)
  await expect(sheetsOf(await zipOf({ 'a.txt': 'x' }))).rejects.toThrow('isn’t an Excel workbook')
})
