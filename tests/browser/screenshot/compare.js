/** Runs in a page: compares two images, as described in `pixels.ts`. */
;async ({ truth, other }) => {
  const pixelsOf = async (address) => {
    const image = Object.assign(new Image(), { src: address })
    await image.decode()
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
    const context = canvas.getContext('2d')
    context.drawImage(image, 0, 0)
    return context.getImageData(0, 0, canvas.width, canvas.height)
  }
  const a = await pixelsOf(truth)
  const b =
    other === 'white' ? new ImageData(new Uint8ClampedArray(a.data.length).fill(255), a.width) : await pixelsOf(other)
  const margin = 3
  const differs = (i, j) => [0, 1, 2].some((part) => Math.abs(a.data[i + part] - b.data[j + part]) > 8)
  const isBackground = (i) => [0, 1, 2].every((part) => a.data[i + part] > 247)
  let filled = 0
  const countAt = (dx, dy) => {
    let differing = 0
    filled = 0
    for (let y = margin; y < a.height - margin; y += 1) {
      for (let x = margin; x < a.width - margin; x += 1) {
        const at = (y * a.width + x) * 4
        if (isBackground(at)) continue
        filled += 1
        if (differs(at, ((y + dy) * b.width + x + dx) * 4)) differing += 1
      }
    }
    return differing
  }
  let best = { differing: Number.POSITIVE_INFINITY, offset: [0, 0] }
  for (const dy of [0, -1, 1, -2, 2]) {
    for (const dx of [0, -1, 1, -2, 2]) {
      const differing = countAt(dx, dy)
      if (differing < best.differing) best = { differing, offset: [dx, dy] }
    }
  }
  const all = (a.width - 2 * margin) * (a.height - 2 * margin)
  return {
    filled: (100 * filled) / all,
    differing: (100 * best.differing) / Math.max(1, filled),
    offset: best.offset,
    size: { truth: [a.width, a.height], other: [b.width, b.height] },
  }
}
