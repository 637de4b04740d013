// Only this page counts how often the button was pressed: a reload would begin at 0.
import { title } from './title.js'

let count = 0
let shown = title
const show = () => {
  document.querySelector('h1').textContent = `${shown}, ${count}`
}
document.querySelector('button').onclick = () => {
  count += 1
  show()
}
import.meta.hot.accept('./title.js', (changed) => {
  shown = changed.title
  show()
})
show()
