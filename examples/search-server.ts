import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the search of seed 003 found. */
const documents = [
  {
    title: '5G时代下科技股该如何投资2',
    content:
      '2022年TMT领域热点频出,如信创、数字经济以及引发全民关注的源宇宙等。同时A股震荡格局下,TMT行业细分赛道持续轮动表现可圈可点。2023年TMT行业的发展趋势如何?又有何投资机会?',
  },
  {
    title: '中国清洁服务的增长逻辑',
    content:
      '作为一个传统的劳动密集型的行业,清洁服务也会面临着因为人口老龄化而逐渐失去竞争力,清洁服务行业需要一个转型的契机,届时机械化、一体化、市场化,这三个方面将是解决问题的一个关键。用机械来代替人力,将有效的提高了清洁服务的一个工作效率,而一体化的作业模式将加强企业对于项目的管理以及作业的监管,提高一个清洁服务的一个工作效率,市场化将会让更多企业参与到竞争当中,提升清洁服务的企业的服务水平。随着这三大趋势的随着这三大趋势越来越明显,未来清洁服务行业竞争将会更愈发的激烈,如何做好更精细化的管理,以及应用更先进的一些机械化的设备,将大家大了行业的准入门槛,但是这也促进了整个行业的规范化以及技术的发展。',
  },
  {
    title: '5G时代下科技股该如何投资',
    content: '最后我们还是落到TMT的行业方面。',
  },
  {
    title: '天融信',
    content:
      '实际上应该说它应该目前来看,还真的没有说哪个行业是所以我们自己实际卖的来看,就卖了一个多亿来看,这些行业没有一个太大的特点。',
  },
];

/** Answers every search with all documents, as Elasticsearch would; never keeps the process alive. Resolves to its URL. */
export async function startSearchServer(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    const hits = documents.map((document) => ({ _source: document }));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ hits: { total: { value: hits.length }, hits } }));
  });
  server.on('connection', (socket) => socket.unref());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server's address is the object form
}
