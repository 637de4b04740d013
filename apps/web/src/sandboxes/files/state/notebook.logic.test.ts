import { expect, test } from 'vitest'
import { notebookOf } from './notebook.logic.ts'

test('cells keep their order, and their output is text, images or HTML', () => {
  const book = notebookOf(
    JSON.stringify({
      metadata: { language_info: { name: 'julia' } },
      cells: [
        { cell_type: 'markdown', source: ['# a\n', 'b'] },
        {
          cell_type: 'code',
          source: 'x',
          execution_count: 3,
          outputs: [
            { output_type: 'stream', name: 'stderr', text: ['\u001b[31mred\u001b[0m'] },
            { output_type: 'display_data', data: { 'image/png': 'aGk=\n', 'text/plain': 'fig' } },
            { output_type: 'execute_result', data: { 'text/html': '<b>1</b>', 'text/plain': '1' } },
            { output_type: 'error', traceback: ['one', 'two'] },
          ],
        },
      ],
    }),
  )
  expect(book).toEqual({
    language: 'julia',
    isCut: false,
    cells: [
      { kind: 'markdown', source: '# a\nb', count: null, outputs: [] },
      {
        kind: 'code',
        source: 'x',
        count: 3,
        outputs: [
          { kind: 'text', text: 'red', isError: true },
          { kind: 'image', address: 'data:image/png;base64,aGk=' },
          { kind: 'html', html: '<b>1</b>' },
          { kind: 'text', text: 'one\ntwo', isError: true },
        ],
      },
    ],
  })
})

test('an image without valid base64 gets no address, and other files are not notebooks', () => {
  const cells = [{ cell_type: 'code', outputs: [{ data: { 'image/png': '"><script>', 'text/plain': 'x' } }] }]
  expect(notebookOf(JSON.stringify({ cells }))?.cells[0]?.outputs).toEqual([
    { kind: 'text', text: 'x', isError: false },
  ])
  for (const text of ['', '[]', '{"cells":3}', 'null', '{']) expect(notebookOf(text)).toBeNull()
})
