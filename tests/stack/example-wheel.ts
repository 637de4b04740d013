/** A package that no image has, built on the spot so that no download is needed. */
export const exampleWheel = `
import zipfile
name = 'threadbox_example-1.0'
with zipfile.ZipFile('/tmp/threadbox_example-1.0-py3-none-any.whl', 'w') as w:
    w.writestr('threadbox_example.py', 'ANSWER = 42')
    w.writestr(name + '.dist-info/METADATA', 'Metadata-Version: 2.1' + chr(10) + 'Name: threadbox-example' + chr(10) + 'Version: 1.0' + chr(10))
    w.writestr(name + '.dist-info/WHEEL', 'Wheel-Version: 1.0' + chr(10) + 'Generator: test' + chr(10) + 'Root-Is-Purelib: true' + chr(10) + 'Tag: py3-none-any' + chr(10))
    w.writestr(name + '.dist-info/RECORD', '')
`
