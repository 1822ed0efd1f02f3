import { builtInKinds } from '../agent/kinds/kinds.ts';

/** Agent names and classes that LangChain's users know, without their hyphens, and the kind that does their work here. */
const OURS: { [letters: string]: string } = {
  zeroshotreactdescription: 'zero-shot',
  reactdocstore: 'zero-shot',
  selfaskwithsearch: 'zero-shot',
  react: 'zero-shot',
  mrkl: 'zero-shot',
  structuredchatzeroshotreactdescription: 'structured-chat',
  chatzeroshotreactdescription: 'structured-chat',
  jsonchat: 'conversational',
  conversationalreactdescription: 'conversational',
  chatconversationalreactdescription: 'conversational',
  conversationalchat: 'conversational',
  openaifunctions: 'tool-calling',
  openaimultifunctions: 'tool-calling',
  openaitools: 'tool-calling',
  functioncalling: 'tool-calling',
};

/** undefined for a name that is not LangChain's either. `AgentType.X`, any case and no or other hyphens are understood. */
export function kindOfLangChain(name: string): string | undefined {
  const plain = letters(name.toLowerCase().replace(/^agenttype\./u, ''));
  if (Object.hasOwn(OURS, plain)) return OURS[plain];
  return builtInKinds.find((kind) => letters(kind.name) === plain)?.name;
}

function letters(name: string): string {
  return name.replaceAll(/[-_ ]/gu, '');
}
