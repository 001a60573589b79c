SELECT users.id, users.created, users.email, users.active, articles.id, articles.created, articles.userId, articles.text,
    comments.id, comments.created, comments.articleId, comments.text
FROM users
LEFT JOIN articles ON articles.userId = users.id
LEFT JOIN comments ON comments.articleId = articles.id
