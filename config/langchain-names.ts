import { builtInKinds } from '../agent/kinds/kinds.ts';

/** Agent names and classes that LangChain's users know, and the kind that does their work here. */
const OURS: { [name: string]: string } = {
  'zero-shot-react-description': 'zero-shot',
  zero_shot_react_description: 'zero-shot',
  'react-docstore': 'zero-shot',
  'self-ask-with-search': 'zero-shot',
  react: 'zero-shot',
  mrkl: 'zero-shot',
  'structured-chat-zero-shot-react-description': 'structured-chat',
  structured_chat_zero_shot_react_description: 'structured-chat',
  'chat-zero-shot-react-description': 'structured-chat',
  chat_zero_shot_react_description: 'structured-chat',
  structured_chat: 'structured-chat',
  'json-chat': 'conversational',
  json_chat: 'conversational',
  'conversational-react-description': 'conversational',
  conversational_react_description: 'conversational',
  'chat-conversational-react-description': 'conversational',
  chat_conversational_react_description: 'conversational',
  'conversational-chat': 'conversational',
  conversational_chat: 'conversational',
  'openai-functions': 'tool-calling',
  openai_functions: 'tool-calling',
  'openai-multi-functions': 'tool-calling',
  openai_multi_functions: 'tool-calling',
  'openai-tools': 'tool-calling',
  openai_tools: 'tool-calling',
  tool_calling: 'tool-calling',
  'function-calling': 'tool-calling',
};

/** undefined for a name that is not LangChain's either. `AgentType.X`, any case and no or other hyphens are understood. */
export function kindOfLangChain(name: string): string | undefined {
  const plain = name.toLowerCase().replace(/^agenttype\./u, '');
  if (Object.hasOwn(OURS, plain)) return OURS[plain];
  return builtInKinds.find((kind) => letters(kind.name) === letters(plain))?.name;
}

function letters(name: string): string {
  return name.replaceAll(/[-_ ]/gu, '');
}
