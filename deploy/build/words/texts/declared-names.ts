import type { Node } from 'oxc-parser'
import type { NameOf } from '../text.ts'

export type DeclaredName = { name: string; start: number; of: NameOf }

/**
 * The names that a node itself declares. Properties of objects and types are not included: they can be on a wire or in
 * a database, where names are contracts.
 */
export function declaredNames(node: Node): DeclaredName[] {
  switch (node.type) {
    case 'VariableDeclarator':
      return bindings(node.id)
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return [...named(node.id, 'value'), ...node.params.flatMap(bindings)]
    case 'ClassDeclaration':
      return named(node.id, 'type')
    case 'TSTypeAliasDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSEnumDeclaration':
      return named(node.id, 'type')
    case 'MethodDefinition':
    case 'PropertyDefinition':
    case 'TSMethodSignature':
      return named(node.key, 'value')
    case 'TSPropertySignature':
      return node.typeAnnotation?.typeAnnotation.type === 'TSFunctionType' ? named(node.key, 'value') : []
    default:
      return []
  }
}

/** The names that a pattern declares; `{ name }` only passes on a name declared elsewhere. */
function bindings(pattern: Node): DeclaredName[] {
  switch (pattern.type) {
    case 'Identifier':
      return named(pattern, 'value')
    case 'AssignmentPattern':
      return bindings(pattern.left)
    case 'RestElement':
      return bindings(pattern.argument)
    case 'TSParameterProperty':
      return bindings(pattern.parameter)
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element === null ? [] : bindings(element)))
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) => {
        if (property.type === 'RestElement') return bindings(property)
        return property.shorthand ? [] : bindings(property.value)
      })
    default:
      return []
  }
}

function named(node: Node | null | undefined, of: NameOf): DeclaredName[] {
  return node?.type === 'Identifier' ? [{ name: node.name, start: node.start, of }] : []
}
